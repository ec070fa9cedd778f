/** The latest report of every source, and which of them counts: that of the most trusted source that said anything. */
import { SOURCES, type Source, type StatusReport } from "../protocol/status.ts";

export class StatusBoard {
  private readonly reports = new Map<Source, StatusReport>();

  set(report: StatusReport): void {
    this.reports.set(report.source, report);
  }

  /** The source takes back what it said. */
  clear(source: Source): void {
    this.reports.delete(source);
  }

  clearAll(): void {
    this.reports.clear();
  }

  get current(): StatusReport | undefined {
    const source = SOURCES.find((name) => this.reports.has(name));
    return source === undefined ? undefined : this.reports.get(source);
  }

  /** Most trusted first. */
  all(): StatusReport[] {
    return SOURCES.flatMap((source) => this.reports.get(source) ?? []);
  }
}
