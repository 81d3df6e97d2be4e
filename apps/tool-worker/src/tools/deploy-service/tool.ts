/**
 * Deploys a release. What it would change is computed once, before anybody is asked; a person decides only when
 * production would be touched. A decline leads to an offer of staging, a cancellation changes nothing and uses nothing
 * up: the same question can still be answered until it expires.
 */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, ToolFailure, boolean, form, oneOf } from '@roundhouse/worker-kit';
import { ENVIRONMENTS, Releases, hasRelease, type ChangeSet, type Environment, type Service } from './releases.js';

const DeployService = z.object({
  service: z.string().max(64).describe('Name of the service'),
  version: z.string().max(32).describe('Release to deploy'),
});
type DeployService = z.output<typeof DeployService>;

/** One deployment under way: all that its questions and its execution need. */
interface Plan {
  readonly service: Service;
  readonly version: string;
  readonly changes: ChangeSet;
  readonly call: Call;
}

@Injectable()
export class DeployServiceTool {
  constructor(private readonly releases: Releases) {}

  @Tool({
    name: 'deploy_service',
    title: 'Deploy a service',
    description:
      'Deploys a release of a service. Goes to staging by itself; asks first when production would change, and then where to.',
    input: DeployService,
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    singleUse: true,
  })
  async deploy({ service: name, version }: DeployService, call: Call): Promise<string> {
    const service = this.releases.find(name, call);
    if (service === undefined) throw new ToolFailure('There is no service of this name that you may deploy.');
    if (!hasRelease(service, version)) throw new ToolFailure('The service has no such release.');
    const changes = await call.step('change_set', () => this.releases.changeSet(service, version));
    const plan = { service, version, changes, call };
    if (changes.every((each) => each.changes.length === 0))
      return `${name} ${version} already runs. Nothing to deploy.`;
    if (!touches(changes, 'production')) return this.execute(plan, 'staging');
    return this.deployAsked(plan);
  }

  private async deployAsked(plan: Plan): Promise<string> {
    const { call, changes } = plan;
    const answer = await call.ask('deploy', toQuestion(plan));
    if (answer.action === 'cancel') {
      return 'The question was closed without an answer. Nothing was deployed; it can still be answered until it expires.';
    }
    if (answer.action === 'accept') {
      if (!answer.content.confirm) return 'The deployment was not confirmed. Nothing was deployed.';
      return this.execute(plan, answer.content.environment);
    }
    if (!touches(changes, 'staging')) return 'The deployment was declined. Nothing was deployed.';
    const safer = await call.ask('staging_instead', toSaferQuestion(plan));
    if (safer.action === 'accept' && safer.content.confirm) return this.execute(plan, 'staging');
    return `The deployment was declined, and staging instead as well (${safer.action}). Nothing was deployed.`;
  }

  private async execute({ service, version, changes, call }: Plan, environment: Environment): Promise<string> {
    const planned = changes.find((each) => each.environment === environment);
    if (planned === undefined || planned.changes.length === 0)
      return `${service.name} ${version} already runs in ${environment}. Nothing was deployed.`;
    call.signal.throwIfAborted();
    const isDone = await this.releases.deploy(service, version, { planned, call });
    if (!isDone) return `${environment} has changed since the deployment was planned. Nothing was deployed.`;
    return `${service.name} ${version} was deployed to ${environment}.`;
  }
}

function toQuestion({ service, version, changes }: Plan) {
  const listed = changes.map(({ environment, changes: lines }) => `${environment}: ${lines.join(', ') || 'no change'}`);
  return form(`Deploy ${service.name} ${version}? This would change\n${listed.join('\n')}`, {
    environment: oneOf(ENVIRONMENTS, { title: 'Environment', default: 'staging' }),
    confirm: boolean({ title: 'Deploy there', default: false }),
  });
}

function toSaferQuestion({ service, version }: Plan) {
  return form(`Deploy ${service.name} ${version} to staging instead? Production stays as it is.`, {
    confirm: boolean({ title: 'Deploy to staging', default: false }),
  });
}

function touches(changes: ChangeSet, environment: Environment): boolean {
  return changes.some((each) => each.environment === environment && each.changes.length > 0);
}
