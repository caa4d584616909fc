import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mcpBegunLogins, mcpClients, mcpLogins } from '../../src/storage/mcp-schema.js';
import type { LoginToBegin } from '../../src/tools/mcp/oauth/oauth-flows.js';
import { forgetClients } from '../../src/tools/mcp/oauth/registered-clients.js';
import { bothDatabases } from '../support/database/both-databases.js';
import { useDatabase } from '../support/database/database.js';
import { logIn, loginAt, openOAuth, visit, type OAuthParts } from '../support/mcp/open-oauth.js';
import { startOAuthMcp, type OAuthMcp } from '../support/mcp/start-oauth-mcp.js';
import { ManualClock } from '../support/manual-clock.js';

const refused = (fault: string) => expect.objectContaining({ fault });
const clientOf = (url: string) => new URL(url).searchParams.get('client_id');

describe.each(bothDatabases)(
  'the client that an authorization server registered, on %s',
  (_name, open) => {
    const database = useDatabase(open);
    let server: OAuthMcp;
    let parts: OAuthParts;
    let clock: ManualClock;
    beforeEach(async () => {
      server = await startOAuthMcp();
      clock = new ManualClock(Date.now());
      parts = await openOAuth(database.db, { clock });
      await database.db.delete(mcpLogins);
      await database.db.delete(mcpBegunLogins);
      await database.db.delete(mcpClients);
    });
    afterEach(() => server.close());

    const begin = async (more: Partial<LoginToBegin> = {}, of: OAuthParts = parts) =>
      (await of.flows.begin(loginAt(server.url, {}, more))).url;
    const finish = (url: string, principalId = 'ann') =>
      visit(url).then((answer) => parts.flows.finish(answer, { principalId }));

    it.each(['before anybody had logged in', 'after somebody had'])(
      'is made again at the second try, where it was forgotten %s',
      async (when) => {
        if (when.startsWith('after')) await logIn(parts, database.db, loginAt(server.url));
        const first = await begin();
        server.clients.clear();
        await expect(visit(first)).rejects.toThrow('400');
        const second = await begin();
        expect(clientOf(second)).not.toBe(clientOf(first));
        expect(await finish(second)).toMatchObject({ principalId: 'ann' });
        // All others have it at once.
        expect(clientOf(await begin({ principalId: 'bob' }))).toBe(clientOf(second));
        expect(server.registrations).toBe(2);
      },
    );

    it('is made again once, whoever is at it, in whatever process', async () => {
      const other = await openOAuth(database.db, { clock });
      const people = ['ann', 'bob', 'cid'].map((principalId) => ({ principalId }));
      for (const one of people) await begin(one);
      server.clients.clear();
      const urls = await Promise.all(people.map((one) => begin(one)));
      expect(new Set(urls.map(clientOf)).size).toBe(1);
      expect(clientOf(await begin({ principalId: 'ann' }, other))).toBe(clientOf(urls[0] ?? ''));
      expect(server.registrations).toBe(2);
    });

    it('stays where its issuer knows it, however many links nobody opens', async () => {
      const first = await begin();
      for (let time = 0; time < 10; time += 1) await begin();
      expect(clientOf(await begin())).toBe(clientOf(first));
      expect(server.registrations).toBe(1);
    });

    it('is made again a few times an hour, where links stay without an answer and the issuer does not refuse it', async () => {
      await begin();
      const made: number[] = [];
      for (const principalId of ['ann', 'ann', 'ann', 'bob', 'cid', 'dan', 'eve']) {
        for (let time = 0; time < 3; time += 1) {
          await begin({ principalId });
          await clock.advance(61_000);
        }
        made.push(server.registrations);
      }
      // Two of each person, six of all.
      expect(made).toEqual([3, 3, 3, 5, 7, 7, 7]);
      await clock.advance(3_600_000);
      await begin();
      await clock.advance(61_000);
      await begin();
      expect(server.registrations).toBe(8);
    });

    it.each(['invalid_client', 'unauthorized_client'])(
      'is made again after the answer %s',
      async (error) => {
        await logIn(parts, database.db, loginAt(server.url));
        server.clients.clear();
        server.unknownClient = error;
        await expect(finish(await begin())).rejects.toEqual(refused('CLIENT_REFUSED'));
        await finish(await begin());
        expect(server.registrations).toBe(2);
      },
    );

    it('is made again after an error of another name, where its issuer refuses it', async () => {
      await begin();
      server.clients.clear();
      server.unknownClient = 'invalid_request';
      await expect(finish(await begin({ principalId: 'bob' }), 'bob')).rejects.toEqual(
        refused('CLIENT_REFUSED'),
      );
      await finish(await begin({ principalId: 'bob' }), 'bob');
    });

    it('is not made again by errors that somebody brings without end', async () => {
      const answers = ['access_denied', 'invalid_client', 'invalid_client', 'invalid_client', 'x'];
      for (const error of [...answers, ...answers]) {
        const state = new URL(await begin()).searchParams.get('state') ?? '';
        const answer = new URLSearchParams({ error, state, iss: server.issuer });
        await expect(parts.flows.finish(answer, { principalId: 'ann' })).rejects.toThrow();
      }
      expect(server.registrations).toBeLessThanOrEqual(3);
      expect(await finish(await begin({ principalId: 'bob' }), 'bob')).toBeDefined();
    });

    it('is made again once its secret has ended', async () => {
      const endsAt = Math.floor(clock.now() / 1_000) + 60;
      server.registration = { client_secret: 'of a minute', client_secret_expires_at: endsAt };
      const first = await begin();
      expect(clientOf(await begin({ principalId: 'bob' }))).toBe(clientOf(first));
      await clock.advance(60_000);
      server.registration = { client_secret: 'for good', client_secret_expires_at: 0 };
      const second = await begin({ principalId: 'bob' });
      expect(clientOf(second)).not.toBe(clientOf(first));
      await clock.advance(600_000);
      expect(clientOf(await begin({ principalId: 'cid' }))).toBe(clientOf(second));
      expect(server.registrations).toBe(2);
    });

    it('is kept where its secret had ended before it came, by a clock that is wrong', async () => {
      server.registration = { client_secret: 'x', client_secret_expires_at: 1 };
      await begin();
      await begin({ principalId: 'bob' });
      expect(server.registrations).toBe(1);
    });

    it('lets log-ins end that began with the one before', async () => {
      const before = await begin({ principalId: 'bob' });
      const known = new Map(server.clients);
      await begin();
      server.clients.clear();
      const after = await begin();
      for (const [id, client] of known) server.clients.set(id, client);
      expect(clientOf(after)).not.toBe(clientOf(before));
      expect(await finish(before, 'bob')).toMatchObject({ principalId: 'bob' });
      expect(await finish(after)).toMatchObject({ principalId: 'ann' });
    });

    it('stays where a client before it is refused: of a code, and of a refresh', async () => {
      const { db } = database;
      const old = await logIn(parts, db, loginAt(server.url, {}, { principalId: 'cid' }));
      const answer = await visit(await begin({ principalId: 'bob' }));
      await begin();
      server.clients.clear();
      const fresh = await begin();
      await expect(parts.flows.finish(answer, { principalId: 'bob' })).rejects.toEqual(
        refused('CLIENT_REFUSED'),
      );
      expect(await parts.logins.fresh(old, 1)).toBeUndefined();
      expect(clientOf(await begin({ principalId: 'bob' }))).toBe(clientOf(fresh));
      expect(server.registrations).toBe(2);
    });

    it('goes on where the authorization server registers none any more', async () => {
      const first = await begin();
      await clock.advance(61_000);
      server.issuerMetadata = { registration_endpoint: undefined };
      expect(clientOf(await begin())).toBe(clientOf(first));
    });

    it('is never one that was given by hand', async () => {
      const byHand = loginAt(server.url, { clientId: 'by-hand' });
      for (let time = 0; time < 3; time += 1) {
        expect(clientOf((await parts.flows.begin(byHand)).url)).toBe('by-hand');
        await clock.advance(61_000);
      }
      server.unknownClient = 'invalid_client';
      const { url } = await parts.flows.begin(byHand);
      await expect(finish(url)).rejects.toEqual(refused('CLIENT_REFUSED'));
      expect(clientOf((await parts.flows.begin(byHand)).url)).toBe('by-hand');
      expect(server.registrations).toBe(0);
    });

    it('is forgotten by an administrator, by the name of its issuer', async () => {
      const first = await begin();
      expect(await forgetClients(database.db, 'https://other.example')).toBe(0);
      expect(await forgetClients(database.db, server.issuer.replace(/\/$/, ''))).toBe(1);
      expect(clientOf(await begin({ principalId: 'bob' }))).not.toBe(clientOf(first));
    });
  },
);
