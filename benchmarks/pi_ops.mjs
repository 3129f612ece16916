// The real Pi does one thing as a whole process, so that it can be timed beside pisess:
//   open FILE        opens a session and builds what the model would be sent
//   list             lists the sessions of all projects (PI_CODING_AGENT_DIR names the folder that holds `sessions`)
//   path FILE DIR    writes the path to the leaf into a new session in DIR
// PI_NODE_MODULES is the folder that Pi is installed in.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const manager = join(process.env.PI_NODE_MODULES, "@earendil-works/pi-coding-agent/dist/core/session-manager.js");
const { SessionManager } = await import(pathToFileURL(manager).href);

const operations = {
  open: (file) => SessionManager.open(file).buildSessionContext().messages.length,
  list: async () => (await SessionManager.listAll()).length,
  path: (file, folder) => {
    const session = SessionManager.open(file, folder);
    return session.createBranchedSession(session.getLeafId());
  },
};

const [operation, ...operands] = process.argv.slice(2);
console.log(await operations[operation](...operands));
