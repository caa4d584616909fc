import type { ComponentProps } from 'react';
import { followLink } from './navigation.js';

/** A link to another page of the console. */
export function Link({ onClick, ...props }: ComponentProps<'a'>) {
  return (
    <a
      {...props}
      onClick={(event) => {
        onClick?.(event);
        followLink(event);
      }}
    />
  );
}
