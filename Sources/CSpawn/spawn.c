// Empty until the first function stands.
