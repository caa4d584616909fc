/** The head of a request as an authenticator of an extension sees it. */
export interface AuthenticatorHead {
  method: string;
  /** The path without its query. */
  path: string;
  /** By their names in small letters; of a repeated header the last. */
  headers: Readonly<Record<string, string>>;
  /** Remote address of the connection, which may be a proxy's. */
  address: string;
}
