import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/storage/connection.js';

/** Tables with a row that has a text in any column, bytes included. */
export async function tablesWith(db: Database, text: string): Promise<string[]> {
  const { rows } = await db.execute(
    sql`select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  const found: string[] = [];
  const hex = Buffer.from(text).toString('hex');
  for (const { name } of rows as { name: string }[]) {
    const hits = await db.execute(sql`
      select 1 from ${sql.identifier(name)} t
      where strpos(t::text, ${text}) > 0 or strpos(t::text, ${hex}) > 0 limit 1`);
    if (hits.rows.length > 0) found.push(name);
  }
  return found;
}

/** Keys under a prefix that have a text in their name or value. */
export async function redisKeysWith(url: string, prefix: string, text: string): Promise<string[]> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys(`${prefix}*`);
    const found: string[] = [];
    for (const key of keys) {
      if (`${key} ${await valueOf(redis, key)}`.includes(text)) found.push(key);
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

async function valueOf(redis: Redis, key: string): Promise<string> {
  const type: string = await redis.type(key);
  switch (type) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1'));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+', 'COUNT', 10_000));
    default:
      return '';
  }
}

/** Files below a folder that have a text in their path or bytes. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    const bytes = entry.isFile() ? await readFile(file) : Buffer.alloc(0);
    if (file.includes(text) || bytes.includes(text)) found.push(file);
  }
  return found;
}
