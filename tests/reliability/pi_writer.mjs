// Pi's own SessionManager, appending to a session in a loop, a few entries at a time so that others come in between.
// Arguments: the session file, how many entries, milliseconds between two. Prints the id of each entry, one a line.
// PI_NODE_MODULES names the node_modules folder that holds Pi.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as wait } from "node:timers/promises";

const dist = path.join(process.env.PI_NODE_MODULES, "@earendil-works/pi-coding-agent/dist");
const { SessionManager } = await import(pathToFileURL(path.join(dist, "core/session-manager.js")).href);

const [file, count, pause] = process.argv.slice(2);
const manager = SessionManager.open(file);
for (let number = 0; number < Number(count); number++) {
  const said = { role: "user", content: [{ type: "text", text: `Pi says ${number} ${"word ".repeat(number % 50)}` }] };
  const id = number % 5 ? manager.appendMessage({ ...said, timestamp: Date.now() }) : manager.appendCustomEntry("of-pi", { number });
  process.stdout.write(`${id}\n`);
  await wait(Number(pause));
}
