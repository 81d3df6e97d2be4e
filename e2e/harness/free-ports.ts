/** Ports for what a scenario starts, and whether it listens there. */
import { connect } from 'node:net';

export { findFreePorts } from '@roundhouse/testing';

/** Whether something accepts connections there. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
