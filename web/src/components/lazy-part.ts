import { lazy, type ComponentType } from 'react';

/** A component whose file is loaded when it is first shown; it needs a `Suspense` above it. */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load() }));
}
