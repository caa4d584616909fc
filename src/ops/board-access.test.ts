import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { openAccess, type OpenedAccess } from '../../test/support/access/open-access.js';
import type { OpenedDatabase } from '../storage/connection.js';
import { BoardAccess } from './board-access.js';
import { boardCookie, parseBoardCookie } from './board-cookie.js';
import { NewKeyDto } from '../access/new-key.dto.js';
import { takeRequest } from '../http/request.pipe.js';

const token = 'x'.repeat(43);

describe('the cookie of the board', () => {
  it('is for the board alone', () => {
    const path = '/admin/queues';
    expect(boardCookie(token, { path, origin: undefined })).toBe(
      `turnpike_board=${token}; Path=/admin/queues; Max-Age=1800; HttpOnly; SameSite=Strict`,
    );
    const over = (origin: string) => boardCookie(token, { path, origin }).endsWith('; Secure');
    expect([over('https://turnpike.example'), over('http://127.0.0.1:4400')]).toEqual([
      true,
      false,
    ]);
  });

  it.each<[string[], string | undefined]>([
    [['Cookie', `turnpike_board=${token}`], token],
    [['Host', 'x', 'cookie', `a=b; turnpike_board=${token}; c=d`], token],
    [['Cookie', 'a=b', 'Cookie', `turnpike_board=${token}`], token],
    [['Cookie', `not_turnpike_board=${token}`], undefined],
    [['Cookie', `turnpike_board=${token}x`], undefined],
    [['Cookie', 'turnpike_board='], undefined],
    [['X-Cookie', `turnpike_board=${token}`], undefined],
    [[], undefined],
  ])('is read from %j', (rawHeaders, found) => {
    expect(parseBoardCookie({ rawHeaders })).toBe(found);
  });
});

describe('who looks at the board', () => {
  let database: OpenedDatabase;
  let access: OpenedAccess;
  let board: BoardAccess;
  const clock = new ManualClock();
  const open = new Map<string, string>();
  beforeAll(async () => {
    database = await openTestDatabase();
    const defaultLimits = {
      requestsPerMinute: 0,
      concurrentTurns: 0,
      tokensPerDay: 0,
      usdPerDay: 0,
    };
    const rules = {
      host: '127.0.0.1',
      allowKeyless: false,
      takesFirstKey: false,
      defaultLimits,
    };
    access = openAccess({ db: database.db, clock }, { ...rules, corsOrigins: [] });
    const sessions = { open: async () => token, find: async (one: string) => open.get(one) };
    board = new BoardAccess({ ...access, sessions, clock });
  });
  afterAll(() => database.close());

  const check = (...rawHeaders: string[]) =>
    board.check({ method: 'GET', url: '/admin/queues', rawHeaders, address: '127.0.0.1' });
  const make = async (body: Record<string, unknown>) => {
    const { key, secret } = await access.keyService.create(
      await takeRequest(NewKeyDto, body),
      'test',
    );
    return { id: key.id, secret };
  };

  it('is anybody on this machine while there are no keys, and no page of another site', async () => {
    await check('Host', '127.0.0.1:4400');
    const origin = { status: 403, type: 'FORBIDDEN_ORIGIN' };
    await expect(check('Host', 'evil.example')).rejects.toMatchObject(origin);
    await expect(
      check('Host', '127.0.0.1', 'Origin', 'https://evil.example'),
    ).rejects.toMatchObject(origin);
  });

  it('is a key for it, or the cookie of one, for as long as the key is taken', async () => {
    const admin = await make({ principal: 'boss', scopes: ['admin'], expiresIn: '1h' });
    const plain = await make({ principal: 'worker', scopes: ['turns'] });
    await check('Authorization', `Bearer ${admin.secret}`);
    await expect(check('Authorization', `Bearer ${plain.secret}`)).rejects.toMatchObject({
      type: 'FORBIDDEN_SCOPE',
    });
    const cookie = ['Cookie', `turnpike_board=${token}`];
    const closed = { status: 401, message: expect.stringContaining('/queue') };
    await expect(check()).rejects.toMatchObject(closed);
    await expect(check(...cookie)).rejects.toMatchObject(closed);
    open.set(token, plain.id);
    await expect(check(...cookie)).rejects.toMatchObject(closed);
    open.set(token, admin.id);
    await check(...cookie);
    await access.keyService.revoke(admin.id, 'test');
    await expect(check(...cookie)).rejects.toMatchObject(closed);
    const short = await make({ principal: 'boss', scopes: ['admin'], expiresIn: '1h' });
    open.set(token, short.id);
    await check(...cookie);
    await clock.advance(3_600_000);
    await expect(check(...cookie)).rejects.toMatchObject(closed);
  });
});
