/** Work that a process does beside answering requests. Its module ends it, as Nest closes modules. */
export interface BackgroundTask {
  start(): void;
}

/** The tasks of this process. Features add theirs when they are loaded; they start once the process listens. */
export class BackgroundTasks {
  readonly #tasks: BackgroundTask[] = [];

  register(task: BackgroundTask): void {
    this.#tasks.push(task);
  }

  start(): void {
    for (const task of this.#tasks) task.start();
  }
}
