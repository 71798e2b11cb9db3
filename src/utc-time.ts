/** An ISO time in UTC as people read it, `2026-03-01 08:00 UTC`, for texts that do not know the person's zone. Other text comes back as it is. */
export const utcTime = (iso: string): string => iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/, "$1 $2 UTC");
