import { createUndiciTransport } from "../../src/host/transport-undici.ts";
import { conformance } from "./conformance.ts";

conformance("undici", createUndiciTransport);
