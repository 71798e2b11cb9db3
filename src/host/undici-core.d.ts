// The dispatcher alone is loaded: undici as it comes brings fetch, WebSocket and a cache, a quarter of a second of them.
declare module "undici/lib/dispatcher/agent.js" {
  import type { Agent } from "undici";

  const agent: typeof Agent;
  export default agent;
}
