import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { eq } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { serverSecrets } from '../../storage/governance-schema.js';
import { SERVER, type SecretPlace } from '../secrets/secret-columns.js';
import { SecretVault } from '../secrets/secret-vault.js';
import { foundRow } from '../../storage/rows.js';

/** Bytes of a secret. */
const BYTES = 32;

/** Secrets that the deployment makes for itself: each once, by whichever process needs it first. */
@Injectable()
export class ServerSecrets {
  readonly #known = new Map<string, Promise<Buffer>>();

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly vault: SecretVault,
  ) {}

  /** @param name what it is for. */
  get(name: string): Promise<Buffer> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const loaded = this.#load(name);
    this.#known.set(name, loaded);
    loaded.catch(() => this.#known.delete(name));
    return loaded;
  }

  async #load(name: string): Promise<Buffer> {
    const read = () => this.db.select().from(serverSecrets).where(eq(serverSecrets.name, name));
    const stored = await read();
    if (stored.length === 0) {
      const secret = await this.vault.seal(randomBytes(BYTES).toString('base64url'), placeOf(name));
      const made = { name, secret, createdAt: new Date(this.clock.now()) };
      // Of processes that make it at once, all take the one that was stored first.
      await this.db.insert(serverSecrets).values(made).onConflictDoNothing();
    }
    const { secret } = foundRow(stored.length === 0 ? await read() : stored, () => {
      throw new Error(`The secret ${name} was deleted while it was made`);
    });
    return Buffer.from(await this.vault.open(secret, placeOf(name)), 'base64url');
  }
}

function placeOf(row: string): SecretPlace {
  return { column: serverSecrets.secret, row, principalId: SERVER };
}
