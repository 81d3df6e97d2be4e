import { describe, expect, it } from '@jest/globals';
import { routerConfig } from './config.js';

const DEVELOPMENT = { ROUNDHOUSE_AUTH_MODE: 'development' };

describe('routerConfig', () => {
  it('refuses everybody unless told otherwise', () => {
    expect(routerConfig.load({}).auth.mode).toBe('closed');
  });

  it.each(['127.0.0.1', '::1'])('lets the principal be a header on %s', (host) => {
    expect(routerConfig.load({ ...DEVELOPMENT, ROUNDHOUSE_HTTP_HOST: host }).auth.mode).toBe('development');
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'gateway.example'])(
    'refuses to believe a header on %j, where others can reach it',
    (host) => {
      const load = () => routerConfig.load({ ...DEVELOPMENT, ROUNDHOUSE_HTTP_HOST: host });
      expect(load).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    },
  );
});
