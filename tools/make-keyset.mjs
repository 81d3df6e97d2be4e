// Makes a keyset with one fresh key and prints it: node --import ./tools/ts-hook.mjs tools/make-keyset.mjs > keyset.json
import { randomBytes } from 'node:crypto';
import { createKeyset } from '@roundhouse/sealed-state';

process.stdout.write(`${createKeyset({ nowMs: Date.now(), randomBytes })}\n`);
