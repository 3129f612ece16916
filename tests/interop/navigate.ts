// A command for Pi, `/navigate {"id": ..., "summarize": ..., "label": ...}`: what picking an entry in Pi's /tree does.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  pi.registerCommand("navigate", {
    description: "Move to an entry of the session",
    handler: async (args, ctx) => {
      const { id, ...options } = JSON.parse(args);
      await ctx.navigateTree(id, options);
    },
  });
}
