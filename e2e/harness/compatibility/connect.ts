/** The clients of the compatibility table, by their ids. */
import { HandClient } from './hand-client.js';
import type { ClientOptions, MatrixClient } from './matrix-client.js';
import type { ClientId } from './matrix.js';
import { ModernHandClient } from './modern-hand-client.js';
import { PythonClient } from './python-client.js';
import { connectSdk } from './sdk-client.js';

export function connect(client: ClientId, options: ClientOptions): Promise<MatrixClient> {
  switch (client) {
    case 'v1':
    case 'v2':
    case 'v2-modern':
      return connectSdk(client, options);
    case 'python':
      return PythonClient.start('legacy', options);
    case 'python-modern':
      return PythonClient.start('2026-07-28', options);
    case 'hand':
      return HandClient.begin('2025-11-25', options);
    case 'hand-0618':
      return HandClient.begin('2025-06-18', options);
    case 'hand-0326':
      return HandClient.begin('2025-03-26', options);
    case 'hand-modern':
      return ModernHandClient.begin(options);
  }
}
