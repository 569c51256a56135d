// A prepared statement: its text, and the name under which a connection keeps it. The text is the same for the life of a store.

export interface Statement {
  readonly name: string;
  readonly text: string;
}
