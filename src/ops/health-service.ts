import { checkReadiness, type Dependency, type Readiness } from './readiness.js';

export class HealthService {
  constructor(private readonly dependencies: readonly Dependency[]) {}

  readiness(): Promise<Readiness> {
    return checkReadiness(this.dependencies);
  }
}
