import type { Actor } from './actor.js';
import type { Scheduler } from './scheduler.js';

export type ServiceName = 'database' | 'redis';

/** The database and Redis as processes reach them: over a network that the schedule delays and cuts. */
export class Services {
  /** Services that do not answer now. */
  readonly away = new Set<ServiceName>();

  constructor(private readonly scheduler: Scheduler) {}

  /** @throws Error with code ECONNREFUSED while the service is away. */
  async reach(actor: Actor, service: ServiceName, what: string): Promise<void> {
    await this.scheduler.gate(actor, `${service}: ${what}`);
    if (this.away.has(service)) throw connectionError('ECONNREFUSED', service);
  }

  /** @throws Error with code ECONNRESET where the answer is lost. */
  async answer(actor: Actor, service: ServiceName, what: string): Promise<void> {
    await this.scheduler.gate(actor, `${service} answers: ${what}`);
    const isLost = this.away.has(service) || actor.losesAnswer;
    actor.losesAnswer = false;
    if (isLost) throw connectionError('ECONNRESET', service);
  }
}

function connectionError(code: string, service: ServiceName): Error {
  return Object.assign(new Error(`${code}: the ${service} is away`), { code });
}
