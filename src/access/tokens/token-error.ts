/** Why a token is not taken. The table has what a person does about it. */
export const tokenFaults = {
  MALFORMED: 'The token is no JWT of at most 8 KiB. Send an access token of your identity provider',
  UNKNOWN_ISSUER:
    'The server takes no tokens of this issuer (`iss`). Ask its administrator to add it to TURNPIKE_AUTH_FILE',
  EXPIRED: 'The token has expired. Get a new one from your identity provider',
  NOT_YET_VALID:
    'The token is not valid yet (`nbf`, `iat`). Compare the clocks of the server and of the identity provider',
  WRONG_AUDIENCE:
    'The token is for another application. Ask your identity provider for a token with this server’s audience',
  WRONG_ALGORITHM:
    'The token is signed by an algorithm that the server does not take. Ask its administrator to allow it, or use another',
  WRONG_TYPE: 'The token is of another kind (`typ`). Send an access token',
  UNKNOWN_KEY: 'The issuer has no key that signed this token. Get a new token',
  BAD_SIGNATURE: 'The signature of the token is wrong. Get a new token, and send it unchanged',
  MISSING_CLAIM: 'The token lacks a claim that the server needs. Make the identity provider add it',
  WRONG_CLAIM:
    'A claim of the token is not what the server needs. Use another kind of token, or ask its administrator',
  ENDED:
    'The access of this person was ended after the token was issued. Log in again for a new one, or ask the administrator of the server',
  NO_ROLE: 'None of your groups has a role on this server. Ask its administrator for one',
} as const;

export type TokenFault = keyof typeof tokenFaults;

/** Faults of tokens that an issuer did sign: the sender of such a token does not guess. */
export const signedFaults: readonly TokenFault[] = [
  'EXPIRED',
  'NOT_YET_VALID',
  'WRONG_AUDIENCE',
  'MISSING_CLAIM',
  'WRONG_CLAIM',
  'ENDED',
  'NO_ROLE',
];

/** Facts about a token that is not taken, for its sender: nothing of it is secret. */
export interface TokenFacts {
  issuer?: string;
  /** The claim that is missing or wrong. */
  claim?: string;
  /** The groups that were seen. */
  groups?: readonly string[];
}

export class TokenError extends Error {
  constructor(
    readonly fault: TokenFault,
    readonly facts: TokenFacts = {},
    /** The person of a token that was verified and has no role; undefined otherwise. */
    readonly principalId?: string,
  ) {
    super(tokenFaults[fault]);
  }
}
