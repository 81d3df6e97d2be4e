/** Fixtures of the MCP conformance suite: tools that log, and tools that tell that a list has changed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Call, CatalogueChanges, Tool } from '@roundhouse/worker-kit';

const STEP_MS = 50;
const WATCHED_RESOURCE = 'test://watched-resource';

@Injectable()
export class NotifyingTools {
  constructor(private readonly catalogue: CatalogueChanges) {}

  @Tool({ name: 'test_tool_with_logging', description: 'Logs three times while it runs.' })
  async withLogging(_: unknown, call: Call) {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      call.log('info', line);
      await sleep(STEP_MS, undefined, { signal: call.signal });
    }
    return 'Logging was tried.';
  }

  @Tool({ name: 'test_logging_tool', description: 'Logs at every level; a client that wants no log sees none.' })
  logging(_: unknown, call: Call) {
    call.log('debug', 'A debug line');
    call.log('info', 'An info line');
    call.log('error', 'An error line');
    return 'Logging was tried.';
  }

  @Tool({ name: 'test_trigger_tool_change', description: 'Tells that the list of tools has changed.' })
  triggerToolChange() {
    this.catalogue.changed('tools');
    return 'Told that tools have changed.';
  }

  @Tool({ name: 'test_trigger_resource_update', description: 'Tells that the watched resource has changed.' })
  triggerResourceUpdate() {
    this.catalogue.updated(WATCHED_RESOURCE);
    return 'Told that the watched resource has changed.';
  }

  @Tool({ name: 'test_trigger_prompt_change', description: 'Tells that the list of prompts has changed.' })
  triggerPromptChange() {
    this.catalogue.changed('prompts');
    return 'Told that prompts have changed.';
  }
}
