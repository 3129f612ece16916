// Calls Pi's own SessionManager. One JSON request on stdin, one JSON answer on stdout:
//   {"start": ["create", cwd, dir], "calls": [["appendMessage", {...}], ...]}
//   -> {"results": [...], "file": "<the session's file at the end>"}
// A call that throws gives {"error": message}. In arguments {"$result": n} is the id that call n gave and
// {"$undefined": true} is JavaScript's undefined. PI_NODE_MODULES names the node_modules folder that holds Pi.
import path from "node:path";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const dist = path.join(process.env.PI_NODE_MODULES, "@earendil-works/pi-coding-agent/dist");
const { SessionManager } = await import(pathToFileURL(path.join(dist, "core/session-manager.js")).href);

const { start, calls } = JSON.parse(readFileSync(0, "utf8"));
const results = [];

function argument(value) {
  if (value?.$undefined) return undefined;
  if (value?.$result === undefined) return value;
  const result = results[value.$result];
  return result?.id ?? result;
}

const [how, ...where] = start;
const manager = SessionManager[how](...where);
for (const [name, ...args] of calls) {
  try {
    results.push(manager[name](...args.map(argument)) ?? null);
  } catch (error) {
    results.push({ error: error.message });
  }
}
process.stdout.write(JSON.stringify({ results, file: manager.getSessionFile() ?? null }));
