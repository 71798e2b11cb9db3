import { CliError } from "../../src/errors.ts";
import { openJournal } from "../../src/journal/journal.ts";
import type { Journal } from "../../src/journal/port.ts";
import { createPayment, type Payment } from "../../src/payments/create-payment.ts";
import type { PaymentPlan } from "../../src/payments/draft.ts";
import type { TransportRequest } from "../../src/service/transport.ts";
import { atEnd, createHome } from "../support/ends.ts";
import { createModelService, type Fault, type ModelService } from "../support/model-service.ts";
import { createClock, createPaymentContext, createRandom, type PaymentContextOptions, randomFrom } from "../support/payment-context.ts";

export const b2c = (more: Partial<PaymentPlan> = {}): PaymentPlan => ({
  operation: "b2c",
  body: '{"phone":"254700000001","amount":100,"reference":"R-1"}',
  reference: "R-1",
  payee: "254700000001",
  amount: "100",
  currency: "KES",
  allowDuplicate: false,
  dryRun: false,
  ...more,
});
export const stk = (more: Partial<PaymentPlan> = {}): PaymentPlan => b2c({ operation: "stk", ...more });
export const withdraw = (more: Partial<PaymentPlan> = {}): PaymentPlan =>
  b2c({
    operation: "withdraw",
    body: '{"rail":"KE_MOMO","channel":"MOBILE_MONEY","payeeMsisdn":"0700000001","amount":500,"currency":"KES"}',
    reference: "",
    payee: "KE_MOMO/MOBILE_MONEY/0700000001",
    rail: "KE_MOMO",
    amount: "500",
    ...more,
  });

export type FlowBench = {
  readonly service: ModelService;
  readonly journal: Journal;
  readonly time: { nowMs: number };
  /** Faults for the next requests, in order; reads take none unless `strikesReads`. */
  readonly faults: (Fault | undefined)[];
  strikesReads: boolean;
  onRequest: (request: TransportRequest) => void;
  context(options?: Partial<PaymentContextOptions>): ReturnType<typeof createPaymentContext>;
  pay(plan: PaymentPlan, options?: Partial<PaymentContextOptions>): Promise<Payment | CliError>;
  readonly posts: () => readonly TransportRequest[];
};

/** A journal of its own, a model service and the real client between them. */
export const createBench = async (): Promise<FlowBench> => {
  const time = { nowMs: Date.UTC(2026, 2, 1, 8) };
  const clock = createClock(time);
  const dataFolder = createHome();
  const journal = await openJournal({ dataFolder, clock });
  atEnd(journal.dispose);
  const faults: (Fault | undefined)[] = [];
  const random = randomFrom(createRandom(1));
  const service: ModelService = createModelService({
    now: () => time.nowMs,
    fault: (request) => {
      bench.onRequest(request);
      return request.method === "POST" || bench.strikesReads ? faults.shift() : undefined;
    },
  });
  const bench: FlowBench = {
    service,
    journal,
    time,
    faults,
    strikesReads: false,
    onRequest: () => undefined,
    context: (options = {}) => createPaymentContext({ journal, transport: service.transport, clock, random, ...options }),
    pay: async (plan, options = {}) => {
      try {
        return await createPayment(plan, bench.context({ flags: { yes: true }, ...options }));
      } catch (error) {
        if (error instanceof CliError) return error;
        throw error;
      }
    },
    posts: () => service.requests.filter(({ method }) => method === "POST"),
  };
  return bench;
};

/** The kind of an error, `sent` or `replayed` of a payment. */
export const endOf = (result: Payment | CliError): string => (result instanceof CliError ? result.kind : result.replayed ? "replayed" : "sent");
