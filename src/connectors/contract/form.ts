/** A field that a seller types to connect an account. Sentences are in Spanish. */
export interface CredentialField {
  /** Of the schema of the credentials. */
  readonly name: string;
  readonly label: string;
  /** Where the seller finds it, and what it looks like. */
  readonly hint: string;
  /** It is never shown again. */
  readonly isSecret?: true;
  /** May be left empty. */
  readonly isOptional?: true;
}

/** The form for credentials that are typed. Fields that sellers do not need are left out. */
export interface CredentialForm {
  /** Where the credentials are made. */
  readonly help: string;
  /** What the seller does, in order. */
  readonly steps?: readonly string[];
  readonly fields: readonly CredentialField[];
  /**
   * Settings of the credentials that only a file gives. They stay when the account is connected
   * again with the form.
   */
  readonly settings?: readonly string[];
}
