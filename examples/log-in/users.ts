import { UserManager } from 'oidc-client-ts';

const home = `${location.origin}/`;

/** The people of the page, as a public client of the provider. It renews their tokens. */
export const users = new UserManager({
  authority: import.meta.env['VITE_PROVIDER_URL'] ?? 'http://localhost:4410',
  client_id: 'page',
  redirect_uri: home,
  post_logout_redirect_uri: home,
});
