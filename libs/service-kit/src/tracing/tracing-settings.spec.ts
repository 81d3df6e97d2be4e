import { tracesUrlOf } from './tracing-settings.js';

describe('where spans are posted to', () => {
  it.each([
    [{}, undefined],
    [{ file: 'spans.jsonl' }, undefined],
    [{ endpoint: 'http://collector:4318' }, 'http://collector:4318/v1/traces'],
    [{ endpoint: 'http://collector:4318/otlp/' }, 'http://collector:4318/otlp/v1/traces'],
    [{ tracesEndpoint: 'http://collector:4318/spans' }, 'http://collector:4318/spans'],
    [{ endpoint: 'http://a:4318', tracesEndpoint: 'http://b:4318/spans' }, 'http://b:4318/spans'],
  ])('with %j is %s', (settings, url) => {
    expect(tracesUrlOf(settings)).toBe(url);
  });
});
