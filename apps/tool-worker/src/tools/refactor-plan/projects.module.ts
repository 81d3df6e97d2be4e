/** Projects and who may look at them: an example in the process, or a directory that replicas share. */
import { Module, type DynamicModule } from '@nestjs/common';
import type { ToolWorkerConfig } from '../../config.js';
import { WorkspaceAccess } from '../../workspace/workspace-access.js';
import { DirectoryProjectFiles } from './directory-project-files.js';
import { MemoryProjectFiles, ProjectFiles } from './project-files.js';
import { ScopeFinder } from './scope.js';

@Module({})
export class ProjectsModule {
  static forConfig({ directory, grants }: ToolWorkerConfig['projects']): DynamicModule {
    const files = directory === undefined ? new MemoryProjectFiles() : new DirectoryProjectFiles(directory);
    return {
      module: ProjectsModule,
      providers: [
        { provide: ScopeFinder, useValue: new ScopeFinder(new WorkspaceAccess(grants)) },
        { provide: ProjectFiles, useValue: files },
      ],
      exports: [ScopeFinder, ProjectFiles],
    };
  }
}
