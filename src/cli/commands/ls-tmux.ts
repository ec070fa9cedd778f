import { fileSessions } from "../live-sessions.ts";
import { lsWith } from "./ls.ts";

export default lsWith(fileSessions);
