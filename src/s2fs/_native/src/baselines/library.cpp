// The library of the baselines' loops tells the same about itself as that of the engine.
#include "../library.cpp"
