import { Module, type DynamicModule, type ValueProvider } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { REDACT, type Redact } from '../platform/text/redact.js';
import { BackgroundTasks } from '../platform/process/background-tasks.js';
import { ResourceProbe } from '../platform/process/resource-probe.js';
import { ResourceStack } from '../platform/async/resource-stack.js';
import { OPENED_FOLDER, type OpenFolder } from '../storage/folder/open-folder.js';
import { CONFIG, ENVIRONMENT, type Config, type Environment } from './config.js';

/** The values that a process starts with. */
export interface ProcessValues {
  config: Config;
  environment: Environment;
  clock: Clock;
  logger: Logger;
  redact: Redact;
  /** Closed after the application: providers add the connections and processes that they open. */
  resources: ResourceStack;
  /** The data folder, one of `resources`, where it is opened before the application. */
  folder?: Promise<OpenFolder> | undefined;
  /** The providers of a host application. Default: none. */
  ofHost?: readonly ValueProvider[];
}

/** The start values of a process, for every module. */
@Module({})
export class ConfigModule {
  static register(values: ProcessValues): DynamicModule {
    const { config, environment, clock, logger, redact, resources, folder, ofHost = [] } = values;
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: ENVIRONMENT, useValue: environment },
      { provide: CLOCK, useValue: clock },
      { provide: LOGGER, useValue: logger },
      { provide: REDACT, useValue: redact },
      { provide: ResourceStack, useValue: resources },
      { provide: BackgroundTasks, useValue: new BackgroundTasks() },
      { provide: ResourceProbe, useValue: new ResourceProbe(clock) },
      ...(folder === undefined ? [] : [{ provide: OPENED_FOLDER, useValue: folder }]),
      ...ofHost,
    ];
    return {
      module: ConfigModule,
      global: true,
      providers,
      exports: providers.map(({ provide }) => provide),
    };
  }
}
