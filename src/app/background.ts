import { Injectable, Optional } from '@nestjs/common';
import { Housekeeper } from '../operations/housekeeper.js';
import { BackgroundTasks } from '../platform/process/background-tasks.js';
import { OpenReaders } from '../http/streams/open-readers.js';
import { Presence, Sweeper, TurnService, TurnWorker } from '../turn/face.js';

/**
 * What a process does beside answering requests, as far as it has a part of that in its role. It begins when the
 * process listens: a start that finds its port in use has claimed no turn. Its modules end it, as Nest closes them.
 */
@Injectable()
export class Background {
  constructor(
    private readonly tasks: BackgroundTasks,
    @Optional() private readonly presence?: Presence,
    @Optional() private readonly worker?: TurnWorker,
    @Optional() private readonly sweeper?: Sweeper,
    @Optional() private readonly housekeeper?: Housekeeper,
    @Optional() private readonly turns?: TurnService,
    @Optional() private readonly readers?: OpenReaders,
  ) {}

  /** Turns that an earlier process left come before anything that makes new ones. */
  async start(): Promise<void> {
    await this.presence?.start();
    await this.turns?.start();
    await this.worker?.start();
    await this.sweeper?.start();
    this.tasks.start();
    this.housekeeper?.start();
  }

  /**
   * Takes no more turns, lets those that run end or hands them back, and ends the streams that are left: their readers
   * go on elsewhere. The modules end the rest.
   */
  async drain(): Promise<void> {
    this.turns?.drain();
    this.sweeper?.stop();
    await this.worker?.stop();
    this.readers?.endAll();
  }
}
