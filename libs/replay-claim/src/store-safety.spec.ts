import { describe, expect, it } from '@jest/globals';
import { fromInfo, problemsOf } from './store-safety.js';

const GOOD = {
  'maxmemory-policy': 'noeviction',
  appendonly: 'yes',
  'min-replicas-to-write': '1',
  'min-replicas-max-lag': '10',
};

describe('problemsOf', () => {
  it('finds nothing wrong with settings that keep what was told', () => {
    expect(problemsOf(GOOD, 1)).toEqual([]);
    expect(problemsOf({ ...GOOD, 'min-replicas-to-write': '2', 'min-replicas-max-lag': '1' }, 2)).toEqual([]);
  });

  it.each([
    ['maxmemory-policy', 'allkeys-lru', 0],
    ['maxmemory-policy', 'volatile-ttl', 0],
    ['appendonly', 'no', 0],
    ['min-replicas-to-write', '0', 1],
    ['min-replicas-max-lag', '11', 1],
    ['min-replicas-max-lag', '0', 1],
    ['min-replicas-max-lag', 'soon', 1],
  ])('names %s when it is %s', (name, value, replicasMin) => {
    const [problem, ...others] = problemsOf({ ...GOOD, [name]: value }, replicasMin);
    expect(problem).toContain(`${name} is ${value}, and must be`);
    expect(others).toEqual([]);
  });

  it('asks for no replicas where none are waited for', () => {
    expect(problemsOf({ 'maxmemory-policy': 'noeviction', appendonly: 'yes' }, 0)).toEqual([]);
  });

  it('counts what could not be read as wrong', () => {
    expect(problemsOf({}, 1)).toHaveLength(4);
    for (const problem of problemsOf({}, 1)) expect(problem).toContain('cannot be read');
  });
});

describe('fromInfo', () => {
  const INFO =
    '# Memory\r\nmaxmemory_policy:noeviction\r\n# Persistence\r\naof_enabled:1\r\n# Replication\r\nrole:master\r\n';

  it('reads the policy and the log', () => {
    expect(problemsOf(fromInfo(INFO), 0)).toEqual([]);
    expect(problemsOf(fromInfo(INFO.replace('noeviction', 'allkeys-lru')), 0)).toHaveLength(1);
    expect(problemsOf(fromInfo(INFO.replace('aof_enabled:1', 'aof_enabled:0')), 0)).toHaveLength(1);
  });

  it('knows that writes need replicas by the line that counts the good ones', () => {
    expect(problemsOf(fromInfo(`${INFO}min_slaves_good_slaves:1\r\n`), 1)).toEqual([]);
    expect(problemsOf(fromInfo(INFO), 1)).toEqual(['min-replicas-to-write is 0, and must be 1 or more']);
  });

  it('knows nothing from an answer that has nothing', () => {
    expect(problemsOf(fromInfo(''), 1)).toHaveLength(4);
  });
});
