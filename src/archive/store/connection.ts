/** A connection to the archive's database. The client library is loaded on first use. */
import type { Client as PgClient, DatabaseError } from "pg";
import { AgentMuxError } from "../../core/errors.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { ArchiveAddress } from "../address.ts";
import { passwordFor } from "./pgpass.ts";

/** A server that does not answer must not block a command for minutes. */
const CONNECT_MS = 10_000;

export class Connection {
  /** Address without credentials, for messages. */
  readonly name: string;
  readonly #client: PgClient;

  private constructor(name: string, client: PgClient) {
    this.name = name;
    this.#client = client;
  }

  static async open(address: ArchiveAddress): Promise<Connection> {
    const { Client } = await import("pg");
    const client = new Client({
      connectionString: address.url,
      ...(address.needsTls ? { ssl: { rejectUnauthorized: true } } : {}),
      connectionTimeoutMillis: CONNECT_MS,
      application_name: "amux",
    });
    // The client's own reading of that file prints a deprecation warning on every command.
    const { host, port, database, user, password = null } = client as PgClient & { password?: string | null };
    if (password === null) Object.assign(client, { password: () => passwordFor({ host, port, database, user }) });
    // A connection that breaks between two queries makes the next one fail; nothing to do here.
    client.on("error", () => {});
    try {
      await client.connect();
      // Compiling these statements takes seconds, running them a fraction of one.
      await client.query("SET jit = off");
    } catch (error) {
      throw unreachable(address, error);
    }
    return new Connection(address.shown, client);
  }

  async rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      const { rows } = await this.#client.query<Row & Record<string, unknown>>(sql, values as unknown[]);
      return rows;
    } catch (error) {
      throw failed(this.name, error);
    }
  }

  /** Several statements at once, without values. */
  async script(sql: string): Promise<void> {
    await this.rows(sql);
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.rows("BEGIN");
    try {
      const result = await work();
      await this.rows("COMMIT");
      return result;
    } catch (error) {
      // The first error is the one to report; a broken connection has rolled back already.
      await this.rows("ROLLBACK").catch(() => {});
      throw error;
    }
  }

  /** All queries of `work` see the same snapshot. */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    await this.rows("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    try {
      return await work();
    } finally {
      await this.rows("ROLLBACK").catch(() => {});
    }
  }

  quoted(identifier: string): string {
    return this.#client.escapeIdentifier(identifier);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

/** Opens a connection for `work`, and always closes it. */
export async function connected<T>(address: ArchiveAddress, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.open(address);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

const WRONG_CREDENTIALS = new Set(["28P01", "28000"]);
const NOT_ALLOWED = "42501";

function unreachable(address: ArchiveAddress, error: unknown): AgentMuxError {
  const isRefused = WRONG_CREDENTIALS.has((error as DatabaseError).code ?? "");
  const reason = address.withoutSecrets(errorText(error) || (error as NodeJS.ErrnoException).code || "no answer");
  return new AgentMuxError(
    isRefused ? "AUTH_ERROR" : "CONFIG_ERROR",
    isRefused
      ? `${address.shown} refuses this user or password: ${reason}. Passwords are taken from the address, PGPASSWORD or ~/.pgpass.`
      : `${address.shown} cannot be reached: ${reason}.`,
    { recoverable: !isRefused },
  );
}

/** The cause is omitted if it may contain row contents. */
function failed(name: string, error: unknown): AgentMuxError {
  if ((error as DatabaseError).code === NOT_ALLOWED) {
    return new AgentMuxError(
      "AUTH_ERROR",
      `${name} does not allow this: ${errorText(error)}. The archive's owner gives rights with amux archive members add.`,
    );
  }
  return new AgentMuxError("INTERNAL", `${name}: ${errorText(error)}`, { recoverable: true });
}
