import type { At, Unit } from "./engine/unit.ts";

export const statementOf = (_unit: Unit, _at: At, _options: { readonly defects: boolean; readonly day: string | null }): string => "";
export const statementDefects = (_unit: Unit, _at: At, _day: string | null): readonly unknown[] => [];
