/** An identity provider for this machine: it takes every name, with any password. */
import { Provider } from 'oidc-provider';

const {
  PROVIDER_URL = 'http://localhost:4410',
  PAGE_URL = 'http://localhost:5173',
  TURNPIKE_URL = 'http://localhost:4400',
} = process.env;
// The console has the address that is in the browser.
const consoles = [TURNPIKE_URL, TURNPIKE_URL.replace('localhost', '127.0.0.1')];

const provider = new Provider(PROVIDER_URL, {
  clients: [
    {
      client_id: 'page',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [`${PAGE_URL}/`],
      post_logout_redirect_uris: [`${PAGE_URL}/`],
    },
    {
      client_id: 'turnpike-console',
      token_endpoint_auth_method: 'none',
      redirect_uris: consoles.map((url) => `${url}/console/callback/acme`),
      post_logout_redirect_uris: consoles.map((url) => `${url}/`),
    },
  ],
  clientBasedCORS: (_context, origin) => origin === PAGE_URL,
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  // Tokens for Turnpike are JWTs with its audience. They live for minutes, and the page renews them.
  features: {
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: '', audience: 'turnpike', accessTokenFormat: 'jwt' }),
      useGrantedResource: () => true,
    },
  },
  issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
  ttl: { AccessToken: 300 },
});

provider.listen(Number(new URL(PROVIDER_URL).port), 'localhost', () =>
  console.log(`The provider takes every name at ${PROVIDER_URL}`),
);
