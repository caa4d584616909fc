import * as z from 'zod/mini';

/** A client as its authorization server knows it. */
export const clientShape = z.object({
  client_id: z.string(),
  client_secret: z.optional(z.string()),
  token_endpoint_auth_method: z.optional(z.string()),
});
export type OAuthClient = z.infer<typeof clientShape>;

export const storedClientShape = z.object({
  ...clientShape.shape,
  /** End of its secret, in seconds since the epoch; 0, or absent: none. */
  client_secret_expires_at: z.optional(z.number()),
  /** The next log-in registers anew. */
  isDoubted: z.optional(z.boolean()),
  /** The last doubts that its issuer did not confirm, each with a digest of the principal. */
  doubts: z.optional(z.array(z.object({ by: z.string(), at: z.number() }))),
});

/** A client as its authorization server registered it. */
export type StoredClient = z.infer<typeof storedClientShape>;

export const secretShape = z.object({
  /** As in the row: a secret in another row is not taken. */
  server: z.string(),
  issuer: z.string(),
  accessToken: z.string(),
  refreshToken: z.optional(z.string()),
  /** Scopes of the tokens, and those that were asked for: nobody is asked for these again. */
  scope: z.optional(z.string()),
  asked: z.optional(z.string()),
  resource: z.optional(z.string()),
  client: clientShape,
});

/** The tokens of a log-in, with all that a refresh needs. */
export type LoginSecret = z.infer<typeof secretShape>;
