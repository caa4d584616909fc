import { Global, Module } from '@nestjs/common';
import { BODY_SOURCE } from '../access/access.guard.js';
import { CONFIG, type Config } from '../config/config.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { BrowserPages } from '../http/browser-pages.js';
import { OpenReaders } from '../http/streams/open-readers.js';
import { BodyReader, bodyRules } from './body-reader.js';

/** Provides the parts of the server that every request passes. */
@Global()
@Module({
  providers: [
    {
      provide: BODY_SOURCE,
      inject: [CONFIG, CLOCK],
      useFactory: (config: Config, clock: Clock) =>
        new BodyReader({ clock, idleMs: config.receiveTimeoutMs, rules: bodyRules(config) }),
    },
    BrowserPages,
    OpenReaders,
  ],
  exports: [BODY_SOURCE, BrowserPages, OpenReaders],
})
export class HttpModule {}
