/**
 * Fixtures of the MCP conformance suite: tools that return each kind of content. The first is the first tool of the
 * list, which the suite calls with empty arguments.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, audio, embedded, failure, image, text } from '@roundhouse/worker-kit';
import { PIXEL_PNG, SILENT_WAV } from './media.js';

const STEP_MS = 50;

const CONTACT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

@Injectable()
export class ContentTools {
  @Tool({ name: 'test_simple_text', description: 'Returns one text.' })
  simpleText() {
    return 'This is a simple text response for testing.';
  }

  @Tool({ name: 'test_image_content', description: 'Returns an image.' })
  imageContent() {
    return image(PIXEL_PNG, 'image/png');
  }

  @Tool({ name: 'test_audio_content', description: 'Returns a sound.' })
  audioContent() {
    return audio(SILENT_WAV, 'audio/wav');
  }

  @Tool({ name: 'test_embedded_resource', description: 'Returns a resource with its content.' })
  embeddedResource() {
    return embedded({
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    });
  }

  @Tool({ name: 'test_multiple_content_types', description: 'Returns a text, an image and a resource.' })
  multipleContentTypes() {
    const json = JSON.stringify({ test: 'data', value: 123 });
    return [
      text('Multiple content types test:'),
      image(PIXEL_PNG, 'image/png'),
      embedded({ uri: 'test://mixed-content-resource', mimeType: 'application/json', text: json }),
    ];
  }

  @Tool({ name: 'test_error_handling', description: 'Returns a result that is an error.' })
  errorHandling() {
    return failure('This tool intentionally returns an error for testing');
  }

  @Tool({ name: 'test_tool_with_progress', description: 'Reports progress three times.' })
  async withProgress(_: unknown, call: Call) {
    for (const done of [0, 50, 100]) {
      call.progress(done, 100, `Completed step ${done} of 100`);
      await sleep(STEP_MS, undefined, { signal: call.signal });
    }
    return 'Progress was reported.';
  }

  @Tool({
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with keywords of JSON Schema 2020-12.',
    rawInputSchema: CONTACT_SCHEMA,
  })
  jsonSchema(input: Readonly<Record<string, unknown>>) {
    return `Called with ${Object.keys(input).length} arguments.`;
  }

  @Tool({
    name: 'test_x_mcp_header',
    description: 'Has an argument that clients also send as a header.',
    input: z.object({ region: z.string().optional(), level: z.int().optional() }),
    headers: { region: 'Region' },
  })
  mcpHeader({ region, level }: { region?: string | undefined; level?: number | undefined }) {
    return `region ${region ?? 'none'}, level ${level ?? 'none'}`;
  }
}
