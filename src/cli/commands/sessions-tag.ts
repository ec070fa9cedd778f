import { oneLine } from "../../lib/text/text.ts";
import { usageError, type Command } from "../command.ts";
import { LABELLED_SESSION, labelSession } from "../label-session.ts";

const command: Command = {
  name: "sessions tag",
  description:
    "Tags are kept in amux's home; the agent's files stay as they are. Lists, searches (tag:) and cost reports can filter by them.",
  arguments: [LABELLED_SESSION, { name: "tag", description: "one or more tags", several: true }],
  options: [{ name: "remove", description: "remove these tags" }],
  examples: [
    ["amux sessions tag claude:5cbe954d release urgent", "add two tags"],
    ["amux sessions tag claude:5cbe954d urgent --remove", "remove one"],
    ["amux sessions list --tag release", "find them again"],
  ],
  async run(invocation) {
    const tags = invocation.arguments.slice(1).map((tag) => oneLine(tag));
    const wrong = tags.find((tag) => tag === "" || /[\s,]/.test(tag));
    if (wrong !== undefined) throw usageError(`"${wrong}" is not a tag: tags have no spaces and no commas.`);
    let staying: string[] = [];
    await labelSession(invocation, (label, runTags) => {
      if (!invocation.flag("remove")) return { ...label, tags: [...new Set([...label.tags, ...tags])] };
      staying = tags.filter((tag) => runTags.includes(tag));
      return { ...label, tags: label.tags.filter((tag) => !tags.includes(tag)) };
    });
    for (const tag of staying) invocation.output.note(`The tag ${tag} stays: the run was started with it.`);
  },
};

export default command;
