/** Why a workbook cannot be read, as the end of a sentence; whoever opened the file adds its name and what to do. */
export class UnreadableWorkbook extends Error {
  override readonly name = "UnreadableWorkbook";
}
