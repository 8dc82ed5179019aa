// Nothing: the library of precompiled headers that this stands in has no code.
