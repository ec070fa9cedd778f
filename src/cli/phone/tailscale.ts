/** What Tailscale says of this machine, if it is installed. Nothing is changed. */
import { asArray, asObject, asText } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { askProgram } from "../../lib/process/ask-program.ts";
import { externalEnv } from "../../lib/process/external-env.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";

const ANSWER_WITHIN_MS = 5000;

/** Something on the way from a phone to the page. */
export interface Step {
  ok: boolean;
  text: string;
}

export async function tailscaleState(listen: string): Promise<{ steps: Step[]; name?: string }> {
  if (findOnPath("tailscale", process.env) === undefined) return { steps: [] };
  const status = await ask("status");
  const name = asText(asObject(status?.["Self"])?.["DNSName"])?.replace(/\.$/, "");
  if (status?.["BackendState"] !== "Running" || name === undefined || name === "")
    return { steps: [{ ok: false, text: "Tailscale is installed, and not running. Run tailscale up." }] };
  const steps = [{ ok: true, text: `Tailscale runs. This machine is ${name}.` }];
  const hasCertificates = (asArray(status["CertDomains"]) ?? []).length > 0;
  if (!hasCertificates)
    steps.push({ ok: false, text: "HTTPS certificates are off for this tailnet. Its admin page turns them on." });
  const isServed = JSON.stringify((await ask("serve", "status")) ?? {}).includes(`http://${listen}`);
  steps.push(
    isServed
      ? { ok: true, text: "tailscale serve passes requests on to the daemon." }
      : { ok: false, text: "tailscale serve does not pass requests on to the daemon yet." },
  );
  return { steps, name };
}

async function ask(...args: string[]): Promise<Record<string, unknown> | undefined> {
  try {
    const call = { args: [...args, "--json"], cwd: "/", env: externalEnv(), timeoutMs: ANSWER_WITHIN_MS };
    return parseObject(await askProgram("tailscale", call));
  } catch {
    // It is not set up; the step says so.
    return undefined;
  }
}
