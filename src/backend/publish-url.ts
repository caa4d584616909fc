/** Publishes the process's address to programs of this machine. @param url `http://host:port`. */
export type PublishUrl = (url: string) => Promise<void>;

/** Injects the `PublishUrl` of the back end. */
export const PUBLISH_URL = Symbol('PublishUrl');
