import { SetMetadata } from '@nestjs/common';

/**
 * The limits of a route's body. `plain`: those of most routes. `conversation`: those for clients that
 * send the whole conversation each time. `unread`: the route reads its body itself, by its own limits.
 */
export type BodyKind = 'plain' | 'conversation' | 'unread';

export const BODY_KIND = 'turnpike:body-kind';

/** The limits of a handler's body, where they are not those of most routes. */
export const BodyLimit = (kind: BodyKind) => SetMetadata(BODY_KIND, kind);
