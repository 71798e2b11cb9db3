import { createNodeTransport } from "../../src/host/transport-node.ts";
import { conformance } from "./conformance.ts";

conformance("node", async (way) => createNodeTransport(way));
