import { users } from './users.ts';

// Without the resource, this provider issues no JWT. Auth0: extraQueryParams: { audience: … }
export const logIn = () => users.signinRedirect({ resource: 'urn:turnpike' });
export const token = async () => (await users.getUser())?.access_token;
export const logOut = () => users.signoutRedirect();
