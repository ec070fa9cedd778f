import { describe, expect, it } from "vitest";
import { Redactor, UnreadableValue, type Finding } from "./redactor.ts";

const redactor = new Redactor();

function redacted(text: string): string {
  return redactor.text(text, "text", []);
}

/** Assembled here so that no secret scanner reports this file. */
const made = (prefix: string, length: number): string => prefix + "aB3dE5gH7jK9mN1pQ".repeat(20).slice(0, length);

it("the remaining token count Claude Code writes is not a secret", () => {
  const text = "<system-reminder>\n<total_tokens>15000000 tokens left</total_tokens>\n</system-reminder>";
  expect(redacted(text)).toBe(text);
  expect(redacted("<api_token>hunter2-hunter2</api_token>")).not.toContain("hunter2");
});

describe("secrets are redacted", () => {
  it.each([
    ["anthropic-key", made("sk-ant-api03-", 40)],
    ["api-key", made("sk-proj-", 40)],
    ["api-key", made("sk_live_", 24)],
    ["aws-access-key", ["AKIA", "ABCDEFGHIJKLMNOP"].join("")],
    ["github-token", made("ghp_", 36)],
    ["github-token", made("github_pat_", 40)],
    ["gitlab-token", made("glpat-", 20)],
    ["slack-token", made("xoxb-", 30)],
    ["google-key", made("AIza", 35)],
    ["npm-token", made("npm_", 36)],
    ["hugging-face-token", made("hf_", 34)],
    ["web-token", `${made("eyJ", 30)}.${made("eyJ", 40)}.${made("", 40)}`],
    ["age-key", ["AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"].join("")],
  ])("%s", (rule, secret) => {
    for (const text of [secret, `key ${secret}.`, `X=${secret}\n`, `"${secret}"`, `${secret}${"!"}`]) {
      const clean = redacted(text);
      expect(clean).toMatch(/\[redacted [a-z-]+\]/);
      expect(clean).not.toContain(secret.slice(8));
    }
    expect(redacted(`see ${secret} there`)).toBe(`see [redacted ${rule}] there`);
  });

  it.each([
    ["postgres://bob:hunter2@db/x", "postgres://bob:[redacted url-password]@db/x"],
    ["git clone https://bob:gh-pass-1@github.com/a/b", "git clone https://bob:[redacted url-password]@github.com/a/b"],
    ["Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted authorization]"],
    ["curl -H 'authorization: Basic Ym9iOmh1bnRlcjI='", "curl -H 'authorization: Basic [redacted authorization]'"],
    ['password = "correct horse"', 'password = "[redacted assigned-secret]"'],
    ["DB_PASSWORD=hunter2hunter2", "DB_PASSWORD=[redacted assigned-secret]"],
    ["export API_KEY='k-1234567'", "export API_KEY='[redacted assigned-secret]'"],
    ["client_secret: abc123def456", "client_secret: [redacted assigned-secret]"],
    ["mysql --password=hunter22 -u root", "mysql --password=[redacted assigned-secret] -u root"],
    ["tool --token tok-98765", "tool --token [redacted password-option]"],
  ])("%s", (text, clean) => {
    expect(redacted(text)).toBe(clean);
    // Redacting again changes nothing.
    expect(redacted(clean)).toBe(clean);
  });

  it("of a private key everything, even when its end is missing", () => {
    const begin = ["-----BEGIN OPENSSH PRIVATE", " KEY-----"].join("");
    expect(redacted(`a\n${begin}\nb3BlbnNzaC1rZXk\nmore`)).toBe("a\n[redacted private-key]");
  });

  it("where they are named, whatever they look like", () => {
    const findings: Finding[] = [];
    const clean = redactor.value({ a: [{ apiKey: "short", max_tokens: "4096", note: "x" }] }, "input", findings);
    expect(clean).toEqual({ a: [{ apiKey: "[redacted named-secret]", max_tokens: "4096", note: "x" }] });
    expect(findings).toEqual([{ rule: "named-secret", where: "input.a[0].apiKey", length: 5 }]);
  });

  it("below their names as numbers, in lists and in objects", () => {
    const findings: Finding[] = [];
    const input = {
      password: 98765432101,
      api_key: ["correcthorse99", 7],
      token: { value: "correcthorse98", until: { hour: 1234 } },
      max_tokens: 4096,
      secret: true,
    };
    const taken = "[redacted named-secret]";
    const clean = redactor.value(input, "input", findings);
    expect(clean).toEqual({
      password: taken,
      api_key: [taken, 7],
      token: { value: taken, until: { hour: taken } },
      max_tokens: 4096,
      secret: true,
    });
    expect(findings.map(({ where }) => where)).toEqual([
      "input.password",
      "input.api_key[0]",
      "input.token.value",
      "input.token.until.hour",
    ]);
    expect(redactor.value(clean, "input", [])).toEqual(clean);
  });

  it.each([
    "password: [redacted hunter2secretx",
    'password: "[redacted hunter2secretx"',
    "the password is [redacted hunter2secretx",
  ])("that follow what only begins like a replacement: %s", (text) => {
    expect(redacted(text)).not.toContain("hunter2");
    expect(redactor.value({ apiKey: text }, "input", [])).toEqual({ apiKey: "[redacted named-secret]" });
  });

  it("where this machine's variables hold them, and by the user's own rules", () => {
    const own = new Redactor({
      vars: { MY_TOKEN: "plain words here", SSH_KEY: "/home/a/key", EDITOR: "some editor" },
      patterns: [{ name: "customer", pattern: "C-[0-9]{4}" }],
    });
    expect(own.text("plain words here, C-1234, /home/a/key, some editor", "x", [])).toBe(
      "[redacted environment], [redacted customer], /home/a/key, some editor",
    );
  });

  it("even if something else was already redacted from them", () => {
    const begin = ["-----BEGIN RSA PRIVATE", " KEY-----"].join("");
    const text = `${begin}\nMIIEow\n${made("", 340)}${made("", 340)}\n`;
    expect(redacted(text)).toBe("[redacted private-key]");
  });

  it("whose names only look like counts", () => {
    expect(redactor.value({ admin_token: "hunter22", AccountKey: "abcdef" }, "x", [])).toEqual({
      admin_token: "[redacted named-secret]",
      AccountKey: "[redacted named-secret]",
    });
  });

  it("with data that cannot be inspected", () => {
    expect(redacted(`image: ${made("", 340)}${made("", 340)} end`)).toBe("image: [redacted encoded-data] end");
    expect(redacted("=".repeat(600))).toBe("=".repeat(600));
  });
});

it("the same secret is reported at each of its places", () => {
  const findings: Finding[] = [];
  const text = `key ${made("ghp_", 36)}`;
  const clean = redactor.value({ first: text, raw: [text, "word", "word"] }, "m", findings);
  expect(clean).toEqual({ first: "key [redacted github-token]", raw: ["key [redacted github-token]", "word", "word"] });
  expect(findings).toEqual(["m.first", "m.raw[0]"].map((where) => ({ rule: "github-token", where, length: 40 })));
});

describe("text that is not secret stays", () => {
  it.each([
    "const token = getToken();",
    "password: string;",
    "type Auth = { apiKey?: string }",
    "The password is required.",
    "token: process.env.GITHUB_TOKEN",
    "API_KEY=${API_KEY}",
    "secret: <your secret here>",
    "src/auth/token-store.ts: 3 tokens",
    "4f2a9c1e8b7d6a5f4e3d2c1b0a9f8e7d6c5b4a39 is the commit",
    "5cbe954d-1b1a-4c3e-9d2b-0a1b2c3d4e5f",
    "usage: input 1200 tokens, output 300 tokens",
    "https://example.com:8080/path@v2",
    "git@github.com:a/b.git",
    "msg_01ABCdefGHIjklMNOpqrSTU",
    "toolu_01ABCdefGHIjklMNOpqrSTU",
  ])("%s", (text) => {
    expect(redacted(text)).toBe(text);
  });
});

describe("a value that cannot be inspected", () => {
  it.each([
    ["a big number", 1n],
    ["bytes", Buffer.from("x")],
    ["a date", new Date()],
    ["a function", () => 1],
  ])("%s", (_, value) => {
    expect(() => redactor.value({ deep: [value] }, "x", [])).toThrow(UnreadableValue);
  });

  it("is an id that looks like a secret", () => {
    expect(() => redactor.require(made("ghp_", 36), "id")).toThrow(UnreadableValue);
    expect(redactor.require("5cbe954d-1b1a-4c3e-9d2b-0a1b2c3d4e5f", "id")).toMatch(/^5cbe/);
  });
});
