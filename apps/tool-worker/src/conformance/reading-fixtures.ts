/** Fixtures of the MCP conformance suite: resources, prompts and completion. */
import { Injectable } from '@nestjs/common';
import {
  Call,
  Complete,
  Prompt,
  Resource,
  embedded,
  form,
  image,
  string,
  text,
  type PromptMessage,
  type Variables,
} from '@roundhouse/worker-kit';
import { PIXEL_PNG } from './media.js';

const user = (content: PromptMessage['content']): PromptMessage => ({ role: 'user', content });

@Injectable()
export class ReadingFixtures {
  @Resource({
    uri: 'test://static-text',
    name: 'Static text',
    description: 'A text that never changes.',
    mimeType: 'text/plain',
  })
  staticText() {
    return 'This is the content of the static text resource.';
  }

  @Resource({
    uri: 'test://static-binary',
    name: 'Static image',
    description: 'An image that never changes.',
    mimeType: 'image/png',
  })
  staticBinary() {
    return Buffer.from(PIXEL_PNG, 'base64');
  }

  @Resource({
    uri: 'test://watched-resource',
    name: 'Watched text',
    description: 'A text one can subscribe to.',
    mimeType: 'text/plain',
  })
  watched() {
    return 'This is the content of the watched resource.';
  }

  @Resource({
    uriTemplate: 'test://template/{id}/data',
    name: 'Data by id',
    description: 'Data for an id.',
    mimeType: 'application/json',
  })
  template({ id }: Variables) {
    return JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  }

  @Prompt({ name: 'test_simple_prompt', description: 'A prompt without arguments.' })
  simplePrompt() {
    return 'This is a simple prompt for testing.';
  }

  @Prompt({
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments.',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
  })
  promptWithArguments({ arg1, arg2 }: Variables) {
    return `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`;
  }

  @Complete({ prompt: 'test_prompt_with_arguments', argument: 'arg1' })
  completeArgument(value: string) {
    return ['paris', 'park', 'party', 'test', 'testing'].filter((suggestion) => suggestion.startsWith(value));
  }

  @Prompt({
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource in it.',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource', required: true }],
  })
  promptWithResource({ resourceUri = '' }: Variables) {
    const resource = embedded({
      uri: resourceUri,
      mimeType: 'text/plain',
      text: 'Embedded resource content for testing.',
    });
    return [user(resource), user(text('Please process the embedded resource above.'))];
  }

  @Prompt({ name: 'test_prompt_with_image', description: 'A prompt with an image in it.' })
  promptWithImage() {
    return [user(image(PIXEL_PNG, 'image/png')), user(text('Please analyze the image above.'))];
  }

  @Prompt({ name: 'test_input_required_result_prompt', description: 'A prompt that asks first.' })
  async promptThatAsks(_: Variables, call: Call) {
    const answer = await call.ask(
      'user_context',
      form('What is the context?', { context: string({ title: 'Context' }) }),
    );
    return `Context: ${answer.action === 'accept' ? answer.content.context : answer.action}`;
  }
}
