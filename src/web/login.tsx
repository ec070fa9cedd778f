/** Login by a one-time link or by the token. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "./state/api.ts";
import { connect, connection } from "./state/projection.ts";
import { rename, route } from "./state/route.ts";
import { messageOf } from "./ui/notices.ts";
import { Problem } from "./ui/problem.tsx";

export function Login(): JSX.Element {
  const token = useSignal("");
  const problem = useSignal("");
  const code = route.value.view === "login" ? route.value.code : null;
  const enter = async (proof: { token?: string; code?: string }): Promise<void> => {
    try {
      await api.logIn(proof);
      connection.value = "connecting";
      connect();
      rename("/");
    } catch (error) {
      problem.value = messageOf(error);
      if (route.value.view === "login") rename("/login");
    }
  };
  useEffect(() => {
    if (code !== null) void enter({ code });
  }, [code]);
  return (
    <main class="login">
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>amux</h1>
      {code !== null && problem.value === "" ? (
        <p>Signing in …</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void enter({ token: token.value.trim() });
          }}
        >
          <p>
            Run <code>amux open</code> on the machine for a link that signs you in, or paste its token.
          </p>
          <input
            class="field"
            type="password"
            autocomplete="current-password"
            placeholder="Token"
            aria-label="Token"
            value={token.value}
            onInput={(event) => (token.value = event.currentTarget.value)}
          />
          <button type="submit" class="primary">
            Sign in
          </button>
          <Problem text={problem.value} />
        </form>
      )}
    </main>
  );
}
