import { users } from './users.ts';

async function ask(method: 'POST' | 'DELETE'): Promise<Response> {
  const user = await users.getUser();
  const headers = { authorization: `Bearer ${user?.access_token}` };
  return fetch('/turnpike-token', { method, headers });
}

export const logIn = () => users.signinRedirect();
export const token = () => ask('POST');
export async function logOut(): Promise<void> {
  await ask('DELETE');
  await users.signoutRedirect();
}
