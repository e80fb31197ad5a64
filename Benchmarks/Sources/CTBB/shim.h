// Nothing: the library is used from C++ alone, and this module tells how to link it.
